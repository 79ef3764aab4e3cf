import { kiro } from '../../programs/kiro/program.ts'
import type { Source } from '../../reading/source.ts'
import { stepSource } from '../kit/steps/step-source.ts'
import { readLine } from './read.ts'

/** Reads a session of Kiro CLI: `<session>.jsonl`, and the facts in `<session>.json`. */
export const kiroSource: Source = /* @__PURE__ */ stepSource({
  name: 'kiro',
  program: kiro.names[0],
  read: readLine,
})
