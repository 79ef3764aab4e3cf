import {
  asArray,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
  parseJson,
} from '../../../core/json/values.ts'
import type { Todo } from '../../../core/state/todo.ts'
import { agentCallInput } from '../../../programs/codex/agent-call.ts'
import { commandText } from '../../../programs/codex/command.ts'
import { mcpToolName } from '../../../programs/codex/mcp.ts'
import {
  COMMAND,
  FILE_CHANGE,
  IMAGE_GENERATION,
  IMAGE_VIEW,
  readPlan,
  SPAWN_AGENT,
  WAIT_AGENT,
  WEB_SEARCH,
} from '../../../programs/codex/tool-names.ts'

/** A call as the model wrote it. */
export interface StoredCall {
  readonly id: string
  readonly toolName: string
  readonly input: unknown
  /** The plan that the call writes. */
  readonly todos?: readonly Todo[]
  /** The text of the patch that the call applies. */
  readonly patch?: string
  /** The agent that the call starts. */
  readonly agent?: SpawnArguments
}

/** The arguments of a call that starts an agent. */
export interface SpawnArguments {
  readonly prompt: string
  readonly role?: string | undefined
  readonly task?: string | undefined
}

/** The names of the tools that run a command, in all versions. */
const COMMAND_TOOLS: ReadonlySet<string> = new Set([
  'exec_command',
  'shell',
  'shell_command',
  'local_shell',
  'container.exec',
])

/** The tools of the program about agents. */
const AGENT_NAMESPACES: ReadonlySet<string> = new Set(['multi_agent_v1', 'collaboration'])
const AGENT_TOOLS: ReadonlySet<string> = new Set([WAIT_AGENT, 'close_agent', 'send_input', 'resume_agent'])

/**
 * Reads a call in the model's history; undefined if the entry is no call. Without an id of its own, a call has the id
 * of its entry. Earlier versions do not store the id of a search: it is empty then.
 */
export function readStoredCall(payload: JsonObject): StoredCall | undefined {
  const id =
    asString(payload.call_id) ?? asString(payload.id) ?? (payload.type === 'web_search_call' ? '' : undefined)
  if (id === undefined) return undefined
  switch (payload.type) {
    case 'function_call':
      return functionCall(id, payload)
    case 'custom_tool_call':
      return namedCall(id, asString(payload.name) ?? '', { input: asString(payload.input) })
    case 'local_shell_call':
      return { id, toolName: COMMAND, input: { command: commandText(asObject(payload.action).command) } }
    case 'web_search_call':
      return { id, toolName: WEB_SEARCH, input: { query: queryOf(asObject(payload.action)) } }
    case 'image_generation_call':
      return { id, toolName: IMAGE_GENERATION, input: { prompt: asString(payload.revised_prompt) ?? '' } }
    default:
      return otherCall(id, payload)
  }
}

/** Later versions have further kinds of calls, such as `tool_search_call`. */
function otherCall(id: string, { type, arguments: input }: JsonObject): StoredCall | undefined {
  const [, toolName] = /^(\w+)_call$/.exec(asString(type) ?? '') ?? []
  return toolName === undefined ? undefined : { id, toolName, input: argumentsOf(input) }
}

/** Returns the query of a search, the first of several, or the address of an open page. */
export function queryOf({ query, queries, url }: JsonObject): string {
  return [query, ...asArray(queries), url].filter(isString).find((text) => text !== '') ?? ''
}

function functionCall(id: string, { name, namespace, arguments: text }: JsonObject): StoredCall {
  const toolName = asString(name) ?? ''
  const [space, input] = [asString(namespace) ?? '', argumentsOf(text)]
  const server = /^mcp__(.+)$/.exec(space)?.[1]
  if (server !== undefined) return { id, toolName: mcpToolName(server, toolName), input }
  if (toolName === SPAWN_AGENT && (space === '' || AGENT_NAMESPACES.has(space)))
    return { id, toolName, input, agent: spawnArguments(asObject(input)) }
  // Up to 0.113, the tool that waits for agents has the shorter name.
  const agentTool = toolName === 'wait' && asObject(input).ids ? WAIT_AGENT : toolName
  if (AGENT_TOOLS.has(agentTool)) return { id, toolName: agentTool, input: agentInput(asObject(input)) }
  return namedCall(id, toolName, input)
}

/** Returns the arguments, which are a JSON text. */
function argumentsOf(value: unknown): unknown {
  if (!isString(value)) return value ?? {}
  const parsed = parseJson(value)
  return parsed === undefined ? value : parsed
}

function namedCall(id: string, toolName: string, input: unknown): StoredCall {
  const fields = asObject(input)
  if (COMMAND_TOOLS.has(toolName))
    return { id, toolName: COMMAND, input: { command: commandText(fields.cmd ?? fields.command) } }
  if (toolName === 'apply_patch')
    return {
      id,
      toolName: FILE_CHANGE,
      input: {},
      patch: asString(fields.input) ?? asString(fields.patch) ?? '',
    }
  if (toolName === 'view_image')
    return { id, toolName: IMAGE_VIEW, input: { path: asString(fields.path) ?? '' } }
  if (toolName === 'update_plan') return { id, toolName, input, todos: readPlan(fields.plan) ?? [] }
  return {
    id,
    toolName,
    input: isObject(input) && isString(input.input) && isSingle(input) ? input.input : input,
  }
}

function isSingle(fields: JsonObject): boolean {
  return Object.keys(fields).length === 1
}

function spawnArguments({ message, agent_type, task_name }: JsonObject): SpawnArguments {
  return { prompt: asString(message) ?? '', role: asString(agent_type), task: asString(task_name) }
}

/** Returns the input as the item of the call reports it: the agents and the message to them. */
function agentInput({ targets, target, ids, id, message }: JsonObject): unknown {
  const agentIds = [...asArray(targets ?? ids), target ?? id].filter(isString)
  return agentCallInput(agentIds, asString(message))
}
