import { omitUndefined } from '../json/omit-undefined.ts'
import { asString, type JsonObject } from '../json/values.ts'
import { acpFormat } from './acp/format.ts'
import { acpProgram } from './acp/program.ts'
import { acpTraits } from './acp/traits.ts'
import { agUiFormat } from './ag-ui/format.ts'
import { agUiProgram } from './ag-ui/program.ts'
import { agUiTraits } from './ag-ui/traits.ts'
import { claudeFormat } from './claude/format.ts'
import { claudeProgram } from './claude/program.ts'
import { claudeTraits } from './claude/traits.ts'
import { codexFormat } from './codex/format.ts'
import { codexProgram } from './codex/program.ts'
import { codexTraits } from './codex/traits.ts'
import type { AgentCallFields, Format, FormatTraits, ProgramFacts } from './format.ts'
import { opencodeFormat } from './opencode/format.ts'
import { opencodeProgram } from './opencode/program.ts'
import { opencodeTraits } from './opencode/traits.ts'

/**
 * The name of a format: `claude-sdk` is Claude Code and the Claude Agent SDK, stream and files alike. `opencode` is OpenCode: the
 * events of its bus, its exports and `run --format json`. `codex` is Codex: its rollouts, `exec --json` and the app-server. `acp` is any agent
 * that speaks the Agent Client Protocol. `ag-ui` is any server that speaks AG-UI.
 */
export type Architecture = 'claude-sdk' | 'opencode' | 'codex' | 'acp' | 'ag-ui'

/** The names of every program. They are apart from `TRAITS`, so that a bundle with claims alone contains no traits. */
const PROGRAMS: { readonly [Name in Architecture]: ProgramFacts<Name> } = {
  'claude-sdk': claudeProgram,
  opencode: opencodeProgram,
  codex: codexProgram,
  acp: acpProgram,
  'ag-ui': agUiProgram,
}

/** The traits of every format. They are apart from `FORMATS`, so that a bundle with hashes alone contains no source. */
const TRAITS: Readonly<Record<Architecture, FormatTraits>> = {
  'claude-sdk': claudeTraits,
  opencode: opencodeTraits,
  codex: codexTraits,
  acp: acpTraits,
  'ag-ui': agUiTraits,
}

/** Every format by its name. Detection asks them in this order. */
const FORMATS: { readonly [Name in Architecture]: Format<Name> } = {
  'claude-sdk': claudeFormat,
  opencode: opencodeFormat,
  codex: codexFormat,
  acp: acpFormat,
  'ag-ui': agUiFormat,
}

/** The format that reads an input which no format recognizes, so as to report that. */
export const DEFAULT_ARCHITECTURE: Architecture = 'claude-sdk'

/** Every format, in the order in which detection asks them. */
export function allFormats(): readonly Format<Architecture>[] {
  return Object.values(FORMATS)
}

/** Whether a call of that tool starts an agent in any program. */
export function isAgentTool(toolName: string): boolean {
  return Object.values(PROGRAMS).some(({ agentTools }) => agentTools.includes(toolName))
}

/** Returns the name of the tool that starts an agent in that program (`session.program`); for an unknown program, the first format's. */
export function agentToolName(program: string | undefined): string {
  return (factsOf(program) ?? PROGRAMS[DEFAULT_ARCHITECTURE]).agentTools[0]
}

/** The facts in the input of a call that starts an agent, whichever program made the call. */
export function agentCallFacts(input: JsonObject): { readonly [Field in keyof AgentCallFields]?: string } {
  const first = (field: keyof AgentCallFields) =>
    Object.values(PROGRAMS)
      .map(({ agentCallFields }) => asString(input[agentCallFields[field]]))
      .find((value) => value !== undefined)
  return omitUndefined({ name: first('name'), prompt: first('prompt'), resumes: first('resumes') })
}

/** Returns the traits of a program by its own name (`session.program`); undefined for an unknown program. */
export function traitsOfProgram(program: string | undefined): FormatTraits | undefined {
  const facts = factsOf(program)
  return facts && TRAITS[facts.name]
}

function factsOf(program: string | undefined): ProgramFacts<Architecture> | undefined {
  return Object.values(PROGRAMS).find(({ programs }) => program !== undefined && programs.includes(program))
}

/** Whether the name is that of a format. */
export function isArchitecture(name: unknown): name is Architecture {
  return typeof name === 'string' && Object.hasOwn(FORMATS, name)
}

/** Returns the format by its name. Throws a `RangeError` for another name. */
export function formatOf(architecture: Architecture): Format<Architecture> {
  if (isArchitecture(architecture)) return FORMATS[architecture]
  throw new RangeError(
    `unknown architecture ${asString(architecture) ?? typeof architecture}: use ${architectures()}`,
  )
}

/** Returns the names of all formats for an error or a help text. */
export function architectures(): string {
  return Object.keys(FORMATS).join(' or ')
}
