import { asObject } from '../../src/core/json/values.ts'
import type { ProgramFacts } from './check-facts.ts'

/** The facts of OpenCode and Kilo, as their blocks show them. */
export const opencodeFacts: ProgramFacts = {
  // A call of an unknown tool becomes one of the tool `invalid`.
  isSameCall: ({ name }, { toolName, input }) => toolName === 'invalid' && asObject(input).tool === name,
  // A command of the person that runs as a subagent has a call with a ULID. The model made none.
  isWithoutCall: ({ toolUseId }) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(toolUseId),
  // A mention is part of the prompt. The interface inserts it.
  isSamePrompt: (stated, shown) => shown.replaceAll(/@\S+/g, '').trim() === stated,
  // The event is `question.rejected`, and the call has failed.
  cancelRefuses: true,
  hidesExitCodes: true,
  isLaunch: ({ contains }) => /^<task id="[^"]+" state="running">/.test(contains),
}
