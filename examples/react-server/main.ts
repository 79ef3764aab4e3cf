import process from 'node:process'
import { TranscriptError } from 'agentfold'
import { followSession } from 'agentfold/node'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'
import { growingSession } from './growing-session.ts'
import { handle, publish, restart } from './server.ts'

/** `npm run example:react-server` shows a recorded session as it grows; with a path, the session of that file. */
const server = await pageServer('react-server/client.tsx', { title: 'A session', handle })
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
