import { continueProgram } from '../../programs/continue/program.ts'
import type { Source } from '../../reading/source.ts'
import { stepSource } from '../kit/steps/step-source.ts'
import { readValue } from './read.ts'

/** Reads a session of Continue: `<session>.json`, and the output of `cn -p --format json`. */
export const continueSource: Source = /* @__PURE__ */ stepSource({
  name: 'continue',
  program: continueProgram.names[0],
  read: readValue,
})
