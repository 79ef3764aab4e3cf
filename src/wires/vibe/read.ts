import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../core/json/values.ts'
import { vibe } from '../../programs/vibe/program.ts'
import {
  changesOf,
  exitCodeOf,
  isFailure,
  isStopped,
  reportOf,
  textOf,
  todosOf,
} from '../../programs/vibe/tool-result.ts'
import type { ReplyPart, Step } from '../kit/steps/step.ts'

// The lines of a session, and what becomes of each. No line has a time.
// {"role":"user","content","injected":false,"message_id"}  a prompt
// {"role":"user","content","injected":true,"message_id"}  a message of the program; the one after a compaction is a summary
// {"role":"assistant","content","reasoning_content","tool_calls":[{"id","function":{"name","arguments"}}],"message_id"}  a reply
// {"role":"tool","content","name","tool_call_id"}  a result, which `<tool_error>` fails
// meta.json: {"session_id","start_time","environment","stats","config",…}  facts of the session, and the tokens of all of it

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool'])

/** Whether a value is a line that only this program writes. */
export function isVibeLine(value: unknown): boolean {
  if (!isObject(value)) return false
  const { role, injected, message_id, tool_call_id } = value
  const id = role === 'tool' ? tool_call_id : message_id
  return ROLES.has(role) && typeof injected === 'boolean' && typeof id === 'string'
}

/** Whether the value is the file with the facts about a session. */
export function isFacts(value: JsonObject): boolean {
  return typeof value.session_id === 'string' && typeof value.start_time === 'string'
}

/** Reads a line of a session, or the file with its facts. */
export function readLine(line: JsonObject): readonly Step[] | undefined {
  if (isFacts(line)) return [readFacts(line)]
  const { role, message_id: messageId, injected } = line
  const id = asString(messageId) ?? ''
  const content = textOf(line.content)
  switch (role) {
    case 'user':
      if (injected !== true) return [{ type: 'prompt', id, content }]
      return COMPACTED.test(content)
        ? [{ type: 'compaction', id, summary: content }]
        : [{ type: 'prompt', id, content, origin: 'meta' }]
    case 'assistant':
      return [{ type: 'reply', id, parts: readParts(line, content) }]
    case 'tool':
      return readResult(line, content)
    case 'system':
      return []
    default:
      return undefined
  }
}

const COMPACTED = /^You are continuing a trajectory after a context compaction/

function readParts({ reasoning_content, tool_calls }: JsonObject, content: string): readonly ReplyPart[] {
  const thinking = asString(reasoning_content) ?? ''
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking } as const]),
    ...(content === '' ? [] : [{ type: 'text', text: content } as const]),
    ...asArray(tool_calls).flatMap((call) => readCall(asObject(call))),
  ]
}

function readCall({ id, function: called }: JsonObject): readonly ReplyPart[] {
  const { name, arguments: json } = asObject(called)
  if (typeof id !== 'string') return []
  const toolName = asString(name) ?? ''
  const input = typeof json === 'string' ? (parseJson(json) ?? json) : json
  const { task, agent } = asObject(input)
  const isAgent = vibe.tools.agent.includes(toolName)
  const agents = isAgent ? [{ prompt: asString(task) ?? '', name: asString(agent) }] : undefined
  return [{ type: 'call', id, name: toolName, input, agents }]
}

function readResult({ tool_call_id: callId, name }: JsonObject, content: string): readonly Step[] {
  if (typeof callId !== 'string') return []
  const isAgent = vibe.tools.agent.some((tool) => tool === name)
  const result: Step = {
    type: 'result',
    callId,
    output: content,
    isError: isFailure(content),
    exitCode: exitCodeOf(content),
    changes: changesOf,
    todos: todosOf,
    agents: isAgent ? { isLaunch: false, ends: [reportOf(content)] } : undefined,
  }
  const message = 'Interrupted by the user'
  return isStopped(content) ? [result, { type: 'stop', outcome: 'interrupted', message }] : [result]
}

function readFacts({ session_id: id, environment, config, stats }: JsonObject): Step {
  const { session_prompt_tokens: input, session_completion_tokens: output } = asObject(stats)
  const [inputTokens, outputTokens] = [asFiniteNumber(input), asFiniteNumber(output)]
  const model = asString(asObject(config).active_model)
  return {
    type: 'facts',
    facts: { id: asString(id), cwd: asString(asObject(environment).working_directory), model },
    usage: omitUndefined({ inputTokens, outputTokens }),
  }
}
