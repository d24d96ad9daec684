// The part of numba's runtime that the kernels need: arrays and lists made inside a kernel,
// counted by reference, and shapes of arrays.  Memory is never given back; a block of the same
// size is used again.
typedef unsigned char u8;
typedef long long i64;
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

// A list; those inside kernels hold numbers, which need no destructor.
void *NRT_MemInfo_new_varsize_dtor(i64 size, void *destructor) {
  return NRT_MemInfo_alloc_aligned(size, LINE);
}

void NRT_MemInfo_call_dtor(void *array) { release(array, LINE + ((Array *)array)->size); }

// Finds the strides of an array in another shape; true if it is contiguous.
int numba_attempt_nocopy_reshape(i64 axes, const i64 *shape, const i64 *strides, i64 new_axes,
                                 const i64 *new_shape, i64 *new_strides, i64 size, int is_fortran) {
  i64 stride = size;
  for (i64 axis = axes; axis--; stride *= shape[axis])
    if (strides[axis] != stride) return 0;
  stride = size;
  for (i64 axis = new_axes; axis--; stride *= new_shape[axis]) new_strides[axis] = stride;
  return 1;
}
