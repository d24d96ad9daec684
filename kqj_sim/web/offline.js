// Keeps kqj.html for use without a network, where the page is served over https.

// A page that was cut off, or that of a network to sign in to, is not kept.
const isWhole = (text) => text.includes('name="kqj-sources"') && text.trimEnd().endsWith("</html>");

async function keep(text) {
  const store = await caches.open("kqj");
  await store.put("kqj.html", new Response(text, { headers: { "Content-Type": "text/html; charset=utf-8" } }));
}

async function install() {
  const response = await fetch("kqj.html"),
    text = await response.text();
  if (!response.ok || !isWhole(text)) throw new Error(`the server answers ${response.status}`);
  await keep(text).catch(() => {});
}

// Neither an error of the server nor a full storage takes the page that is kept, or the one that arrives.
async function answer(event) {
  const response = await fetch(event.request).catch(() => undefined),
    text = response?.ok && (await response.clone().text().catch(() => ""));
  if (!text || !isWhole(text)) return (await findKept()) ?? response ?? Response.error();
  event.waitUntil(keep(text).catch(() => {}));
  return response;
}

const findKept = () => caches.match("kqj.html").catch(() => undefined);

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(install());
});

self.addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname.endsWith("/kqj.html")) event.respondWith(answer(event));
});
