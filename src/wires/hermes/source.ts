import { hermes } from '../../programs/hermes/program.ts'
import type { Source } from '../../reading/source.ts'
import { stepSource } from '../kit/steps/step-source.ts'
import { readRow } from './read.ts'

/** Reads a session of Hermes Agent: the rows of its database. */
export const hermesSource: Source = /* @__PURE__ */ stepSource({
  name: 'hermes',
  program: hermes.names[0],
  read: readRow,
})
