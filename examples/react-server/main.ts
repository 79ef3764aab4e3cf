import { createServer } from 'node:http'
import process from 'node:process'
import { TranscriptError } from 'agentfold'
import { followSession } from 'agentfold/node'
import { bundle } from '../bundle.ts'
import { listen } from '../listen.ts'
import { growingSession } from './growing-session.ts'
import { handle, publish, restart } from './server.ts'

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A session</title>
<body></body><script type="module" src="/client.js"></script></html>`

/** `npm run example:react-server` shows a recorded session as it grows; with a path, the session of that file. */
const client = await bundle('react-server/client.tsx')
const server = createServer((request, response) => {
  if (request.url === '/') response.setHeader('content-type', 'text/html').end(PAGE)
  else if (request.url === '/client.js') response.setHeader('content-type', 'text/javascript').end(client)
  else handle(request, response)
})
process.stdout.write(`${await listen(server)}\n`)

try {
  for await (const { events, issues } of followSession(process.argv[2] ?? (await growingSession()))) {
    if (issues.some(({ code }) => code === 'restarted')) restart()
    for (const event of events) publish(event)
  }
} catch (error) {
  if (!(error instanceof TranscriptError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
