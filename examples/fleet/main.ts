import process from 'node:process'
import { runFleet } from './fleet.ts'
import { runServer } from './server.ts'
import { runWorker } from './worker.ts'

/** `npm run example:fleet` starts the fleet. The fleet starts this program again for each of its processes. */
const [role, url = ''] = process.argv.slice(2)
if (role === 'worker') await runWorker(url)
else if (role === 'server') await runServer(url)
else await runFleet()
