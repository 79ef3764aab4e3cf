import { asArray, asObject, asString } from '../../src/core/json/values.ts'
import type { ToolResultBlock, ToolUseBlock } from '../../src/core/state/block.ts'
import { commandText } from '../../src/programs/codex/command.ts'
import type { ProgramFacts } from './check-facts.ts'
import type { FactCall, FactResult } from './facts.ts'

/**
 * Codex's items have other names and inputs than the calls of the model, and results in other words. A call that writes a plan is no block: the
 * state has the plan.
 */
export const codexFacts: ProgramFacts = {
  cancelRefuses: true,
  hasNoBlock: ({ name }) => name === 'update_plan',
  // A script's own commands are items, and no calls of the model.
  hasNoFact: ({ toolUseId }) => toolUseId.startsWith('exec-'),
  isWithoutCall: ({ toolUseId, agentId }) => toolUseId === agentId,
  isSameCall,
  isSameResult,
  isLaunch: ({ contains }, { agentId, description }) =>
    contains.includes(agentId ?? '?') || contains.includes(`${description}"}`),
}

function isSameCall(call: FactCall, { toolName, input }: ToolUseBlock): boolean {
  const [asked, shown] = [asObject(call.input), asObject(input)]
  switch (toolName) {
    case 'command_execution':
      return call.name === 'exec_command' && commandText(shown.command) === commandText(asked.cmd)
    case 'file_change':
      return call.name === 'apply_patch' && pathsOf(shown).every((path) => String(call.input).includes(path))
    case 'image_view':
      return call.name === 'view_image' && shown.path === asked.path
    case 'web_search':
      return call.name === 'web_search' && shown.query === asked.query
    default:
      return toolName.endsWith(`__${call.name}`)
        ? isEqual(input, call.input)
        : isSameAgentCall(call, toolName, shown)
  }
}

/** Whether a call is about the same agents, with the same words. */
function isSameAgentCall(call: FactCall, toolName: string, shown: object): boolean {
  const { targets, target, id, message } = asObject(call.input)
  const { agentIds, prompt } = asObject(shown)
  if (toolName !== call.name || agentIds === undefined) return false
  const asked = [...asArray(targets), target, id].filter((each) => each !== undefined)
  return isEqual(agentIds, asked) && prompt === message
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

function pathsOf({ changes }: { readonly changes?: unknown }): readonly string[] {
  return asArray(changes).flatMap((change) => asString(asObject(change).path)?.split('/').at(-1) ?? [])
}

/** Whether a result has the facts of the model's words. */
function isSameResult(
  { contains }: FactResult,
  { output, changes }: ToolResultBlock,
  call: FactCall,
): boolean {
  // Messages of the app-server name the file alone.
  if (call.name === 'view_image') return output === ''
  if (contains.startsWith('Success. Updated')) return changes !== undefined && changes.length > 0
  if (contains.startsWith('apply_patch verification failed')) return true
  if (!/^\{"(?:status|previous_status|submission_id)"/.test(contains)) return false
  const shown = JSON.stringify(output)
  // A message to an agent has its state, and no id of its own.
  if (call.name === 'send_input' || call.name === 'resume_agent') return typeof output === 'object'
  const [, words = ''] = /"(?:completed|errored)":"([^"]*)"/.exec(contains) ?? []
  return shown.includes(words)
}
