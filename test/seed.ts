import fc from 'fast-check'
import './equality.ts'
import { isThorough, runs } from './depth.ts'

// Every run of the gate tries the same values, so a failure comes from the change. `SEED=<number> npm test` tries others, and so does `npm run test:all`.
const { SEED = isThorough ? '20261124' : '20261123' } = process.env
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(SEED), numRuns: runs(100) })
