import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'
import { PROGRAM } from './program.ts'

/**
 * `npm run example:dashboard` shows three programs that ask the person. The first argument is the port. `SESSIONS` is
 * the folder of an earlier run, whose sessions the server shows again.
 */
process.env.SESSIONS ??= await mkdtemp(join(tmpdir(), 'agentfold-dashboard-'))
const { handle, hub, start } = await import('./server.ts')
const server = await pageServer('dashboard/client.tsx', { title: 'Sessions', handle })
process.stdout.write(`${await listen(server, Number(process.argv[2] ?? 0))}\n`)
for (const id of ['one', 'two', 'three'])
  if (!(await hub.state(id))) void start(id, [process.execPath, '-e', PROGRAM])
