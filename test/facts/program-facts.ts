import { isDeepStrictEqual } from 'node:util'
import { asArray, asObject, asString } from '../../src/core/json/values.ts'
import type { ToolResultBlock, ToolUseBlock } from '../../src/core/state/block.ts'
import { commandText } from '../../src/programs/codex/command.ts'
import { AGENT_SWARM } from '../../src/programs/kimi/program.ts'
import type { ProgramFacts } from './check-facts.ts'
import type { FactCall, FactResult } from './facts.ts'

/** Claude Code adds to the input of a call: the defaults of its tools, facts of its own such as a plan, and other names of fields. */
export const claudeFacts: ProgramFacts = {
  hasOwnBlock: ({ name }) => name === 'Workflow',
  isSameCall: ({ name, input }, { toolName, input: shown }) =>
    name === toolName &&
    Object.entries(asObject(input)).every(([field, value]) =>
      isDeepStrictEqual(asObject(shown)[field], value),
    ),
}

/** The facts of Cline CLI. */
export const clineFacts: ProgramFacts = {
  // The last piece of a stopped text ends with a space, which the script has trimmed.
  cutsAfterSpaces: true,
  // A request that was withdrawn fails the call, and the turn goes on.
  countsWholeReplies: true,
}

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

/** The facts of GitHub Copilot CLI, as its blocks show them. */
export const copilotFacts: ProgramFacts = {
  isLaunch: ({ contains }) => contains.startsWith('Agent started in background'),
  // The script states the reply with which the branch begins.
  statesPartOfBranch: true,
}

/** The facts of Gemini CLI. */
export const geminiFacts: ProgramFacts = {
  // The Gemini API counts cached tokens in the input, and thoughts beside the output.
  inputIncludesCached: true,
  outputExcludesReasoning: true,
  statesPartOfBranch: true,
}

/** The facts of Kimi Code, as its blocks show them. */
export const kimiFacts: ProgramFacts = {
  hasOwnBlock: ({ name }) => name === AGENT_SWARM,
  // The last piece of a stopped text may end with a space, which the script has trimmed.
  cutsAfterSpaces: true,
  // `kimi acp` and `stream-json` send nothing of an agent but its call.
  hidesBackgroundEnds: true,
  // `stream-json` does not state the folder.
  hasRelativePaths: true,
  isLaunch: ({ contains }, { agentId }) => agentId !== undefined && contains.includes(agentId),
}

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

/** The facts of Pi and Oh My Pi, as their blocks show them. */
export const piFacts: ProgramFacts = {
  // Agents with a list of tasks stand below their call.
  hasOwnBlock: ({ input }) => asObject(input).tasks !== undefined || asObject(input).chain !== undefined,
  // The program expands a skill, a template or the name of a file in the prompt.
  isSamePrompt: (stated, shown) => shown.includes(stated.replace(/^prompt /, '')),
  isLaunch: ({ contains }) => contains.startsWith('Async:'),
}

/** The facts of Qwen Code. */
export const qwenFacts: ProgramFacts = {
  // A hidden tool is called through another one.
  isSameCall: ({ name, input }, { toolName }) => name === 'tool_call' && asObject(input).name === toolName,
  // A background agent's call has a launch as its result.
  isLaunch: (result) => /launched/.test(result.contains),
  countsWholeReplies: true,
}

/** The facts of the programs whose files hold whole messages. */
export const stepsFacts: ProgramFacts = {
  // A call that starts several agents is one call.
  hasOwnBlock({ input }) {
    const { Subagents, tasks } = asObject(input)
    return asArray(Subagents ?? tasks).length > 1
  },
  hasRelativePaths: true,
  isLaunch: ({ contains }) => contains === 'conversationId' || contains.startsWith('Task launched'),
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
