import { createServer } from 'node:http'
import process from 'node:process'
import { followSession } from 'agentfold/node'
import { bundle } from '../bundle.ts'
import { listen } from '../listen.ts'
import { growingSession } from '../react-server/growing-session.ts'
import { handle, store } from './server.ts'

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A session in useChat</title>
<body></body><script type="module" src="/client.js"></script></html>`

/** `npm run example:use-chat` shows a recorded session of Claude as it grows; with a path, the session of that file. */
const client = await bundle('use-chat/client.tsx')
const server = createServer((request, response) => {
  if (request.url === '/') response.setHeader('content-type', 'text/html').end(PAGE)
  else if (request.url === '/client.js') response.setHeader('content-type', 'text/javascript').end(client)
  else handle(request, response)
})
process.stdout.write(`${await listen(server)}\n`)
for await (const { events } of followSession(process.argv[2] ?? (await growingSession())))
  store.dispatchAll(events)
