import { asString } from '../json/values.ts'
import { claudeFormat } from './claude/format.ts'
import { claudeTraits } from './claude/traits.ts'
import type { Format, FormatTraits } from './format.ts'
import { opencodeFormat } from './opencode/format.ts'
import { opencodeTraits } from './opencode/traits.ts'

/**
 * The name of a format: `claude-sdk` is Claude Code and the Claude Agent SDK, stream and files alike. `opencode` is OpenCode: the
 * events of its bus, its exports and `run --format json`.
 */
export type Architecture = 'claude-sdk' | 'opencode'

/** The traits of every format. They are apart from `FORMATS`, so that a bundle with hashes alone contains no source. */
const TRAITS: { readonly [Name in Architecture]: FormatTraits<Name> } = {
  'claude-sdk': claudeTraits,
  opencode: opencodeTraits,
}

/** Every format by its name. Detection asks them in this order. */
const FORMATS: { readonly [Name in Architecture]: Format<Name> } = {
  'claude-sdk': claudeFormat,
  opencode: opencodeFormat,
}

/** The format that reads an input which no format recognizes, so as to report that. */
export const DEFAULT_ARCHITECTURE: Architecture = 'claude-sdk'

/** Every format, in the order in which detection asks them. */
export function allFormats(): readonly Format<Architecture>[] {
  return Object.values(FORMATS)
}

/** Whether a call of that tool starts an agent in any program. */
export function isAgentTool(toolName: string): boolean {
  return Object.values(TRAITS).some(({ agentTools }) => agentTools.includes(toolName))
}

/** Returns the traits of a program by its own name (`session.program`); undefined for an unknown program. */
export function traitsOfProgram(program: string | undefined): FormatTraits | undefined {
  return Object.values(TRAITS).find(({ programs }) => program !== undefined && programs.includes(program))
}

/** Whether the name is that of a format. */
export function isArchitecture(name: unknown): name is Architecture {
  return typeof name === 'string' && Object.hasOwn(FORMATS, name)
}

/** Returns the format by its name. Throws a `RangeError` for another name. */
export function formatOf(architecture: Architecture): Format<Architecture> {
  if (isArchitecture(architecture)) return FORMATS[architecture]
  throw new RangeError(`unknown architecture ${asString(architecture) ?? ''}: use ${architectures()}`)
}

/** Returns the names of all formats for an error or a help text. */
export function architectures(): string {
  return Object.keys(FORMATS).join(' or ')
}
