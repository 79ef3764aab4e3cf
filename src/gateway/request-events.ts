import {
  computeAgentTypeHash,
  computeToolSetHash,
  hashSystemPrompt,
  hashUserMessage,
} from '../core/identity/hashes.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { sha256Hex } from '../core/json/sha256.ts'
import { asArray, asObject, asString, isString } from '../core/json/values.ts'
import type { AgentCompletedEvent, AgentEvent, AgentStartedEvent } from '../core/lineage/registry/agent.ts'
import { type RequestHeaders, requestIds } from '../programs/request-ids.ts'
import { apiTokens } from '../programs/token-fields.ts'
import { checkMessages, type ModelMessage, type ModelRequest } from './request-agents.ts'
import { callOf, withoutReminders } from './request-words.ts'
import { type SpawnCallOptions, spawnCall } from './session-claims.ts'

/**
 * Returns the event of a request to a Messages or a Chat Completions API: its agent starts. The event has the hashes
 * of the system prompt, of the agent type and of the prompt, without the texts in `<system-reminder>` that a program
 * adds to a prompt. `at` is in ms since the epoch. A hash is absent if the request lacks its text. Ids in the headers
 * win: those of some programs name the agent and its parent, so a compacted conversation goes on as the same agent.
 * Then `agentId` is the `requestId` of the event: pass it to `answerEvents` and to `agent:failed`, because such an agent
 * may have several open requests. The event has a hash of `user`, the person of the request: claims of others do not count.
 * The agent type is absent too if a tool's name is empty or contains `|`. Throws an `IdentityError` if the request has
 * no list of messages.
 */
export function requestEvent(
  agentId: string,
  request: ModelRequest,
  {
    at,
    headers,
    user,
  }: { readonly at: number; readonly headers?: RequestHeaders; readonly user?: string | undefined },
): AgentStartedEvent {
  checkMessages(request)
  const ids = headers && requestIds(headers)
  const answered = request.messages.findIndex(({ role }) => role === 'assistant')
  const asked = request.messages.slice(0, answered < 0 ? undefined : answered)
  const of = (...roles: readonly string[]) => asked.filter(({ role }) => roles.includes(role))
  const system = [request.system, ...of('system', 'developer').map(({ content }) => content)].flatMap(textsOf)
  const prompts = of('user').map(({ content }) => textsOf(content).map(withoutReminders).filter(Boolean))
  const first = prompts.find((texts) => texts.length > 0)
  const systemPromptHash = hashSystemPrompt(system.join('\n'))
  return omitUndefined({
    type: 'agent:started' as const,
    agentId: ids?.agentId ?? agentId,
    requestId: ids && agentId,
    parentAgentId: ids?.parentAgentId,
    isMain: ids && ids.parentAgentId === undefined ? true : undefined,
    at,
    userHash: user === undefined ? undefined : sha256Hex(user).slice(0, 16),
    modelId: asString(request.model),
    systemPromptHash,
    agentTypeHash: agentTypeHash(systemPromptHash, request.tools),
    firstUserMessageHash: first && hashUserMessage(first.join('\n')),
    promptHashes: first && prompts.flat().map(hashUserMessage),
  })
}

/**
 * Returns the events of the model's answer: each call that starts an agent, and then the end of the request. The
 * answer is the message of a Messages API or of Chat Completions, with the API's `usage` if you have it, also that of
 * Responses. A call that resumes an agent starts none. `at` is in ms since the epoch.
 */
export function answerEvents(
  agentId: string,
  answer: ModelMessage & { readonly usage?: unknown },
  { at, requestId, ...options }: SpawnCallOptions & Pick<AgentCompletedEvent, 'at' | 'requestId'>,
): readonly AgentEvent[] {
  const spawning = [...asArray(answer.content), ...asArray(answer.tool_calls)].flatMap(
    (part): readonly AgentEvent[] => {
      const { id, name, input } = callOf(part)
      const call = name === undefined ? null : spawnCall(name, input, options)
      if (!call || call.resumes !== undefined) return []
      const promptHash = call.prompt === undefined ? undefined : hashUserMessage(call.prompt)
      const claim = {
        expectedChildAgentName: call.agentName,
        toolUseId: id,
        promptHash,
        isOfWholeAnswer: true as const,
      }
      return [omitUndefined({ type: 'agent:spawning' as const, ...{ agentId, requestId, at }, ...claim })]
    },
  )
  const completed = omitUndefined({
    type: 'agent:completed' as const,
    ...{ agentId, requestId, at },
    ...apiTokens(asObject(answer.usage)),
    responseText: textsOf(answer.content)[0] ?? '',
  })
  return [...spawning, completed]
}

/** Returns the texts of a content: one text, or a list of parts. */
function textsOf(content: unknown): readonly string[] {
  return typeof content === 'string'
    ? [content]
    : asArray(content)
        .map((part) => asObject(part).text)
        .filter(isString)
}

/** A name counts once. */
function agentTypeHash(systemPromptHash: string, tools: unknown): string | undefined {
  const names = asArray(tools).map((tool) => callOf(tool).name)
  const known = new Set(names.filter(isString))
  if (names.includes(undefined) || [...known].some((name) => name === '' || name.includes('|')))
    return undefined
  return computeAgentTypeHash(systemPromptHash, computeToolSetHash([...known].map((name) => ({ name }))))
}
