import process from 'node:process'
import { followSession } from 'agentfold/node'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'
import { growingSession } from './growing-session.ts'
import { handle, hub } from './server.ts'

/** `npm run example:use-chat` shows a recorded session of Claude as it grows; with a path, the session of that file. */
const server = await pageServer('use-chat/client.tsx', { title: 'A session in useChat', handle })
process.stdout.write(`${await listen(server)}\n`)
for await (const update of followSession(process.argv[2] ?? (await growingSession())))
  await hub.publish('session', update)
