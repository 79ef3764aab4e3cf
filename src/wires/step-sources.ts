import { antigravity } from '../programs/antigravity/program.ts'
import { continueProgram } from '../programs/continue/program.ts'
import { droid } from '../programs/droid/program.ts'
import { hermes } from '../programs/hermes/program.ts'
import { kiro } from '../programs/kiro/program.ts'
import type { StepWire } from '../programs/program.ts'
import { vibe } from '../programs/vibe/program.ts'
import type { Source } from '../reading/source.ts'
import { aiderSource } from './aider/source.ts'
import { antigravityRules, readStep } from './antigravity/format.ts'
import { continueRules } from './continue/format.ts'
import { readValue } from './continue/read.ts'
import { droidRules } from './droid/format.ts'
import { readLine as readDroidLine } from './droid/read.ts'
import { hermesRules, readRow } from './hermes/format.ts'
import { kiroRules, readLine as readKiroLine } from './kiro/format.ts'
import { stepSource } from './kit/steps/step-source.ts'
import { readLine as readVibeLine, vibeRules } from './vibe/format.ts'

/** Reads a session of Kiro CLI: `<session>.jsonl`, and the facts in `<session>.json`. */
const kiroSource: Source = stepSource({
  name: 'kiro',
  program: kiro.names[0],
  read: readKiroLine,
  transcripts: kiroRules,
})

/** Reads a session of Mistral Vibe: `messages.jsonl`, the facts in `meta.json`, and the files of its agents. */
const vibeSource: Source = stepSource({
  name: 'vibe',
  program: vibe.names[0],
  read: readVibeLine,
  transcripts: vibeRules,
})

/** Reads a session of Antigravity: the steps in `transcript.jsonl`, and those of its agents. */
const antigravitySource: Source = stepSource({
  name: 'antigravity',
  program: antigravity.names[0],
  read: readStep,
  transcripts: antigravityRules,
})

/** Reads a session of Hermes Agent: the rows of its database. */
const hermesSource: Source = stepSource({
  name: 'hermes',
  program: hermes.names[0],
  read: readRow,
  transcripts: hermesRules,
})

/** Reads a session of Factory Droid: `<session>.jsonl`, its settings, the files of its agents, and the stream of `exec`. */
const droidSource: Source = stepSource({
  name: 'droid',
  program: droid.names[0],
  read: readDroidLine,
  transcripts: droidRules,
})

/** Reads a session of Continue: `<session>.json`, and the output of `cn -p --format json`. */
const continueSource: Source = stepSource({
  name: 'continue',
  program: continueProgram.names[0],
  read: readValue,
  transcripts: continueRules,
})

/** The sources of the wires of whole messages. Each is small, and they share their code, so a page loads them as one. */
export const STEP_SOURCES: { readonly [Name in StepWire]: Source } = {
  kiro: kiroSource,
  vibe: vibeSource,
  antigravity: antigravitySource,
  hermes: hermesSource,
  aider: aiderSource,
  droid: droidSource,
  continue: continueSource,
}

/** Whether the name is that of such a wire. */
export function isStepWire(name: unknown): name is StepWire {
  return typeof name === 'string' && Object.hasOwn(STEP_SOURCES, name)
}
