import { toolKind } from '../../../programs/tool-kind.ts'
import type { FileChange } from '../../../state/file-change.ts'
import type { AcpToolKind } from '../messages.ts'

const KINDS: Readonly<Record<ReturnType<typeof toolKind>, AcpToolKind>> = {
  command: 'execute',
  read: 'read',
  edit: 'edit',
  search: 'search',
  web: 'fetch',
  mcp: 'other',
  agent: 'other',
  plan: 'think',
  other: 'other',
}

/** Returns ACP's kind of a tool call. A tool that changed files is of the kind of its changes. */
export function acpToolKind(toolName: string, changes: readonly FileChange[]): AcpToolKind {
  const kind = toolKind(toolName)
  if (kind === 'plan' && /plan_?(mode|enter|exit)/i.test(toolName)) return 'switch_mode'
  if (kind !== 'edit' && kind !== 'other') return KINDS[kind]
  for (const only of ['delete', 'move'] as const)
    if (changes.length > 0 && changes.every((change) => change.kind === only)) return only
  return changes.length > 0 ? 'edit' : KINDS[kind]
}
