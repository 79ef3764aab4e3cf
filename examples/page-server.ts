import { createServer, type RequestListener, type Server } from 'node:http'
import { bundle } from './bundle.ts'

/** Returns the server of an example: its page, the page's client, and the example's own handler for everything else. The path of the client starts at `examples/`. */
export async function pageServer(
  client: string,
  { title, handle }: { readonly title: string; readonly handle: RequestListener },
): Promise<Server> {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<body></body><script type="module" src="/client.js"></script></html>`
  const script = await bundle(client)
  return createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(page)
    else if (request.url === '/client.js') response.setHeader('content-type', 'text/javascript').end(script)
    else handle(request, response)
  })
}
