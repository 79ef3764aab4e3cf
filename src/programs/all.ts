import { omitUndefined } from '../core/json/fields.ts'
import { asString, type JsonObject } from '../core/json/values.ts'
import { aider } from './aider/program.ts'
import { antigravity } from './antigravity/program.ts'
import { claudeCode } from './claude-code/program.ts'
import { cline } from './cline/program.ts'
import { codex } from './codex/program.ts'
import { continueProgram } from './continue/program.ts'
import { copilot } from './copilot/program.ts'
import { droid } from './droid/program.ts'
import { gemini } from './gemini/program.ts'
import { acpAgent, agUiServer } from './generic/program.ts'
import { grok } from './grok/program.ts'
import { hermes } from './hermes/program.ts'
import { kimi } from './kimi/program.ts'
import { kiro } from './kiro/program.ts'
import { kilo, opencode } from './opencode/program.ts'
import { ohMyPi, openClaw, pi } from './pi/program.ts'
import type { Architecture, Program } from './program.ts'
import { qwen } from './qwen/program.ts'
import { vibe } from './vibe/program.ts'

/** Every program. The last ones stand for any program that a protocol carries. */
const PROGRAMS: readonly Program[] = [
  claudeCode,
  opencode,
  kilo,
  codex,
  pi,
  ohMyPi,
  openClaw,
  gemini,
  kimi,
  qwen,
  grok,
  copilot,
  cline,
  kiro,
  vibe,
  antigravity,
  hermes,
  aider,
  droid,
  continueProgram,
  acpAgent,
  agUiServer,
]

/** Returns every program. */
export function allPrograms(): readonly Program[] {
  return PROGRAMS
}

/** Returns a program by one of its names (`session.program`), or what is known of any program by a protocol's name (`session.protocol`). */
export function programOf(name: string | undefined): Program | undefined {
  if (name === undefined) return undefined
  return PROGRAMS.find(({ names, adapter }) => names.includes(name) || adapter?.name === name)
}

/** Returns the program that people call so, in capitals or not. The name of a protocol is that of no program. */
export function programCalled(name: string): Program | undefined {
  const wanted = name.toLowerCase()
  return PROGRAMS.find(
    (program) =>
      program !== acpAgent &&
      program !== agUiServer &&
      program.names.some((each) => each.toLowerCase() === wanted),
  )
}

/** Returns the commands that resume a session of a program, by their words: one, or none if the program is unknown or takes no id. */
export function resumeCommands(program: string, session: string): readonly (readonly string[])[] {
  const words = PROGRAMS.find(({ names }) => names.includes(program))?.resumeCommand
  return words ? [[...words, session]] : []
}

/**
 * Returns the command that resumes a session, for a person who copies it. An id with other characters than those of
 * ids is no word of a command.
 */
export function resumeText(program = '', session = ''): string | undefined {
  return /^[\w.:-]+$/.test(session) ? resumeCommands(program, session)[0]?.join(' ') : undefined
}

/** Returns the name of the one program that sends events of that type on a wire. */
export function programOfEvent(wire: Architecture, type: string): string | undefined {
  return PROGRAMS.find((program) => program.wire === wire && program.eventTypes?.includes(type))?.names[0]
}

/** Returns the name of the program that has keys of its own in the `_meta` of ACP, or methods of its own. */
export function adapterOfKeys(keys: readonly string[]): string | undefined {
  const isOwn = (own: string) => keys.some((key) => key.startsWith(own))
  return PROGRAMS.find(({ adapter }) => adapter?.metaKeys.some(isOwn))?.adapter?.name
}

/** Whether a call of that tool starts an agent in any program. */
export function isAgentTool(toolName: string): boolean {
  return PROGRAMS.some(({ tools }) => tools.agent.includes(toolName))
}

/** Returns the name of the tool that starts an agent in that program; a common name for an unknown program. */
export function agentToolName(program: string | undefined): string {
  return (programOf(program) ?? acpAgent).tools.agent[0]
}

/** The facts in the input of a call that starts an agent. */
interface AgentCallFacts {
  readonly agentType?: string
  readonly prompt?: string
  readonly resumes?: string
}

/** Returns the facts in the input of a call that starts an agent, whichever program made the call. */
export function agentCallFacts(input: JsonObject): AgentCallFacts {
  const first = (field: keyof AgentCallFacts) =>
    PROGRAMS.map(({ fields }) => asString(input[fields[field] ?? ''])).find((value) => value !== undefined)
  return omitUndefined({ agentType: first('agentType'), prompt: first('prompt'), resumes: first('resumes') })
}
