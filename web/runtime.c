// The part of numba's runtime that the kernels need: arrays made inside a kernel, counted by
// reference, and the product that checks their sizes for overflow.  Memory is never given back; a
// block of the same size is used again.
typedef unsigned char u8;
typedef long long i64;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef __UINTPTR_TYPE__ address;

typedef struct { i64 references; void *destructor; void *info; void *data; i64 size; } Array;
typedef struct Free { struct Free *next; address size; } Free;

extern u8 __heap_base;
static address top;
static Free *released;
enum { LINE = 64, PAGE = 65536 };

static address round_up(address bytes) { return (bytes + LINE - 1) & ~(address)(LINE - 1); }

__attribute__((export_name("allocate"))) void *allocate(address bytes) {
  bytes = round_up(bytes);
  for (Free **at = &released; *at; at = &(*at)->next)
    if ((*at)->size == bytes) { Free *found = *at; *at = found->next; return found; }
  if (!top) top = round_up((address)&__heap_base);
  address start = top, room = (address)__builtin_wasm_memory_size(0) * PAGE;
  top += bytes;
  if (top > room && __builtin_wasm_memory_grow(0, (top - room + PAGE - 1) / PAGE) == (address)-1)
    __builtin_trap();
  return (void *)start;
}

__attribute__((export_name("release"))) void release(void *block, address bytes) {
  Free *found = block;
  found->size = round_up(bytes);
  found->next = released;
  released = found;
}

void *NRT_MemInfo_alloc_aligned(i64 size, int alignment) {
  Array *array = allocate(LINE + size);
  *array = (Array){1, 0, 0, (u8 *)array + LINE, size};
  return array;
}

void *NRT_MemInfo_alloc_safe_aligned(i64 size, int alignment) {
  return NRT_MemInfo_alloc_aligned(size, alignment);
}

void NRT_MemInfo_call_dtor(void *array) { release(array, LINE + ((Array *)array)->size); }

i128 __multi3(i128 left, i128 right) {
  u64 x = (u64)left, y = (u64)right, mask = 0xffffffffu;
  u64 low_low = (x & mask) * (y & mask), low_high = (x & mask) * (y >> 32);
  u64 high_low = (x >> 32) * (y & mask), high_high = (x >> 32) * (y >> 32);
  u64 middle = (low_low >> 32) + (low_high & mask) + (high_low & mask);
  u64 high = high_high + (low_high >> 32) + (high_low >> 32) + (middle >> 32);
  high += x * (u64)(right >> 64) + (u64)(left >> 64) * y;
  return (i128)(((u128)high << 64) | (low_low & mask) | (middle << 32));
}
