import { allPrograms } from './all.ts'
import type { ProgramTools } from './program.ts'

/**
 * The purpose of a tool, for views that show each kind in its own way:
 * - `command`: runs a command of the shell, or reads the output of one
 * - `read`: reads a file or a folder
 * - `edit`: writes, changes or removes files
 * - `search`: searches files, or for tools
 * - `web`: fetches a page, or searches the web
 * - `mcp`: a tool of an MCP server
 * - `agent`: talks to an agent, or waits for one; a call that starts an agent is a subagent block
 * - `plan`: changes the plan or its mode, or asks the person
 * - `other`: any other tool
 */
export type ToolKind = 'command' | 'read' | 'edit' | 'search' | 'web' | 'mcp' | 'agent' | 'plan' | 'other'

/** The kind of each of a program's tools. */
const KINDS: Readonly<Record<keyof ProgramTools, ToolKind>> = {
  command: 'command',
  read: 'read',
  edit: 'edit',
  search: 'search',
  web: 'web',
  todo: 'plan',
  planMode: 'plan',
  question: 'plan',
  agent: 'agent',
  agentControl: 'agent',
}

const USES = [
  ...(['command', 'read', 'edit', 'search', 'web'] as const),
  ...(['todo', 'planMode', 'question', 'agent', 'agentControl'] as const),
]

/** Returns the kind of a tool by its name in any program. Programs write one name in their own ways: `apply_patch` is `ApplyPatch`. */
export function toolKind(toolName: string): ToolKind {
  if (mcpTool(toolName)) return 'mcp'
  return KIND_BY_NAME.get(plainName(toolName)) ?? 'other'
}

const KIND_BY_NAME: ReadonlyMap<string, ToolKind> = /* @__PURE__ */ kindByName()

function kindByName(): ReadonlyMap<string, ToolKind> {
  const kinds = new Map<string, ToolKind>()
  for (const { tools } of allPrograms())
    for (const use of USES) for (const name of tools[use] ?? []) kinds.set(plainName(name), KINDS[use])
  return kinds
}

/** Returns a name in lower case, without separators. */
function plainName(toolName: string): string {
  return toolName.replace(/[^A-Za-z]/g, '').toLowerCase()
}

/** The parts of the name of an MCP server's tool. */
interface McpTool {
  readonly server: string
  readonly tool: string
}

/** Returns the server and the tool of a name such as `mcp__github__create_issue`; undefined for another name. */
export function mcpTool(toolName: string): McpTool | undefined {
  const [, server = '', tool = ''] = /^mcp__(.+?)__(.+)$/s.exec(toolName) ?? []
  return server === '' ? undefined : { server, tool }
}

/** Whether a tool has that name or kind. Capitals do not count. */
export function isTool(toolName: string, wanted: string): boolean {
  return toolName.toLowerCase() === wanted.toLowerCase() || toolKind(toolName) === wanted.toLowerCase()
}
