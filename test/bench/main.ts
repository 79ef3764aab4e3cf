import { reportGates } from './gates.ts'
import { benchReducer } from './reducer.ts'

/** `npm run bench`: prints the README's tables. With `--check` the exit code says whether all gates hold. */
await benchReducer()
const isHeld = reportGates()
if (process.argv.includes('--check') && !isHeld) process.exitCode = 1
