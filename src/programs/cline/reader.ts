import type { ProgramReader } from '../reader.ts'
import { SPAWN_AGENT, SUBAGENT } from './program.ts'
import { fileChangesOf, readAgentResult, readResult } from './tool-result.ts'

/** Reads Cline CLI for a protocol. */
export const clineReader: ProgramReader = {
  mergesAgents: true,
  queuesPrompts: true,
  // A title is `<name of the tool>: <argument>`.
  toolName: ({ toolName, title }) => toolName ?? /^[^\s:]+/.exec(title ?? '')?.[0],
  result: (_, shown, raw) => readResult(raw ?? shown),
  fileChanges: fileChangesOf,
  agentResult: ({ output }) => ({ ...readAgentResult(SPAWN_AGENT, output), agentType: SUBAGENT }),
}
