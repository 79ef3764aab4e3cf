import { antigravity } from '../../programs/antigravity/program.ts'
import type { Source } from '../../reading/source.ts'
import { stepSource } from '../kit/steps/step-source.ts'
import { readStep } from './read.ts'

/** Reads a session of Antigravity: the steps in `transcript.jsonl`, and those of its agents. */
export const antigravitySource: Source = /* @__PURE__ */ stepSource({
  name: 'antigravity',
  program: antigravity.names[0],
  read: readStep,
})
