import { vibe } from '../../programs/vibe/program.ts'
import type { Source } from '../../reading/source.ts'
import { stepSource } from '../kit/steps/step-source.ts'
import { readLine } from './read.ts'

/** Reads a session of Mistral Vibe: `messages.jsonl`, the facts in `meta.json`, and the files of its agents. */
export const vibeSource: Source = /* @__PURE__ */ stepSource({
  name: 'vibe',
  program: vibe.names[0],
  read: readLine,
})
