import { benchClaims } from './claims.ts'
import { benchConversations } from './conversations.ts'
import { benchFirstRead } from './first-read.ts'
import { reportGates } from './gates.ts'
import { benchIdentity } from './identity.ts'
import { benchLive } from './live.ts'
import { benchMemory } from './memory.ts'
import { benchReading } from './reading.ts'
import { benchRealFiles } from './real-files.ts'
import { benchReducer } from './reducer.ts'
import { benchRegistry } from './registry.ts'
import { benchSelectors } from './selectors.ts'

/** `npm run bench`: prints tables. With `--check` the exit code says whether all gates hold. */
await benchReducer()
benchReading()
benchRealFiles()
benchFirstRead()
benchLive()
await benchSelectors()
await benchIdentity()
await benchClaims()
benchRegistry()
await benchConversations()
await benchMemory()
const isHeld = reportGates()
if (process.argv.includes('--check') && !isHeld) process.exitCode = 1
