// Keeps kqj.html for use without a network, where the page is served over https.

const keep = async (response) => {
  const store = await caches.open("kqj");
  await store.put("kqj.html", response.clone());
  return response;
};

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(fetch("kqj.html").then(keep));
});

self.addEventListener("fetch", (event) => {
  if (!new URL(event.request.url).pathname.endsWith("/kqj.html")) return;
  event.respondWith(
    fetch(event.request)
      .then(keep)
      .catch(() => caches.match("kqj.html")),
  );
});
