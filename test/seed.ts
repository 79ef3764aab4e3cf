import fc from 'fast-check'

// Every run of the gate tries the same values, so a failure comes from the change. `SEED=<number> npm test` tries others.
const { SEED = '20261123' } = process.env
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(SEED) })
