import type { StepWire } from '../programs/program.ts'
import type { Source } from '../reading/source.ts'
import { aiderSource } from './aider/source.ts'
import { antigravitySource } from './antigravity/source.ts'
import { continueSource } from './continue/source.ts'
import { droidSource } from './droid/source.ts'
import { hermesSource } from './hermes/source.ts'
import { kiroSource } from './kiro/source.ts'
import { vibeSource } from './vibe/source.ts'

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
