import type { Architecture } from '../programs/program.ts'

/** The facts about the files of a wire that a list needs before it reads one. */
interface WireFacts {
  /** Several files may have one id. The newest goes on from the others, and a list has it alone. */
  readonly hasFilesOfOneId?: true
}

/**
 * Every wire by its name. It is apart from the wires, so that a list of thousands of sessions loads none of them.
 * Detection asks in this order.
 */
const WIRES: { readonly [Name in Architecture]: WireFacts } = {
  'claude-sdk': {},
  opencode: {},
  codex: { hasFilesOfOneId: true },
  pi: {},
  gemini: { hasFilesOfOneId: true },
  kimi: {},
  qwen: {},
  acp: {},
  'ag-ui': {},
  copilot: {},
  cline: {},
  kiro: {},
  vibe: {},
  antigravity: {},
  hermes: {},
  aider: {},
  droid: {},
  continue: {},
}

/** Whether the name is that of a format. */
export function isArchitecture(name: unknown): name is Architecture {
  return typeof name === 'string' && Object.hasOwn(WIRES, name)
}

/** Returns the wire of a name, or undefined for another name. */
export function architectureNamed(name: unknown): Architecture | undefined {
  if (name === 'claude-code') return 'claude-sdk'
  return isArchitecture(name) ? name : undefined
}

/** Whether several files of that wire may have one id. */
export function hasFilesOfOneId(architecture: Architecture): boolean {
  return WIRES[architecture].hasFilesOfOneId === true
}

/** Returns the names of all formats for an error or a help text. */
export function architectures(): string {
  return Object.keys(WIRES).join(' or ')
}
