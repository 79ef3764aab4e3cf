import process from 'node:process'
import { TranscriptError } from 'agentfold'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'
import { growingSession } from './growing-session.ts'
import { handle, show } from './server.ts'

/** `npm run example:react-server` shows a recorded session as it grows; with a path, the session of that file. */
const server = await pageServer('react-server/client.tsx', { title: 'A session', handle })
process.stdout.write(`${await listen(server)}\n`)

try {
  await show(process.argv[2] ?? (await growingSession()))
} catch (error) {
  if (!(error instanceof TranscriptError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
