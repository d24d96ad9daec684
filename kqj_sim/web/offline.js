// Keeps kqj.html for use without a network, where the page is served over https.

async function keep(response) {
  const store = await caches.open("kqj");
  await store.put("kqj.html", response);
}

async function install() {
  const response = await fetch("kqj.html");
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  await keep(response);
}

// An error of the server, or a full storage, takes neither the page that is kept nor the one that arrives.
async function answer(event) {
  const response = await fetch(event.request).catch(() => undefined);
  if (!response?.ok) return (await caches.match("kqj.html")) ?? response ?? Response.error();
  event.waitUntil(keep(response.clone()).catch(() => {}));
  return response;
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(install());
});

self.addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname.endsWith("/kqj.html")) event.respondWith(answer(event));
});
