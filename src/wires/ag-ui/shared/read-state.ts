import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { isTodoStatus, type Todo } from '../../../core/state/todo.ts'
import { addAgentFacts } from '../agents/agent-call.ts'
import { completeAgent } from '../agents/run.ts'
import type { AgUiContext } from '../context.ts'
import { patchDocument } from './json-patch.ts'
import { OwnedDocument } from './owned-document.ts'

/** Replaces the shared state. */
export function replaceState(state: unknown, context: AgUiContext): void {
  const before = todosOf(context)
  context.rememberShared(new OwnedDocument(state))
  reportTodos(before, context)
  const { agents } = asObject(state)
  for (const agent of asArray(agents)) readAgent(asObject(agent), context)
}

/** Patches the shared state. A patch that does not fit changes nothing. */
export function patchState(delta: unknown, context: AgUiContext): void {
  const before = todosOf(context)
  const { shared } = context
  // A changed plan is then another list than before.
  shared.release(before)
  if (!patchDocument(shared, delta)) return context.reportUnknown('unknown-block', 'STATE_DELTA')
  context.rememberShared(shared)
  reportTodos(before, context)
  // The whole list of agents would make each delta cost the number of agents.
  for (const operation of asArray(delta)) {
    const { path, value } = asObject(operation)
    if (!asString(path)?.startsWith('/agents')) continue
    for (const agent of Array.isArray(value) ? value : [value]) readAgent(asObject(agent), context)
  }
}

function todosOf({ shared }: AgUiContext): unknown {
  return asObject(shared.root).todos
}

function reportTodos(before: unknown, context: AgUiContext): void {
  const after = todosOf(context)
  if (before === after || !Array.isArray(after)) return
  const todos = readTodos(after)
  if (todos.length > 0 || asArray(before).length > 0)
    context.emit({ type: 'todos:updated', conversationId: MAIN, todos })
}

/** Reads an agent of the sink's shared state: the facts that no other event has, a corrected status, and the plan. */
function readAgent(
  { id, status, agentId, name, description, todos }: JsonObject,
  context: AgUiContext,
): void {
  const toolUseId = asString(id)
  if (toolUseId === undefined) return
  const own = asString(agentId)
  const agent = context.agentOfCall(toolUseId)
  if (own !== undefined && agent?.parentConversationId === undefined)
    context.setEntry('agentIds', toolUseId, own)
  if (!agent) return
  const before = agent.status
  const facts = { agentId: own, name: asString(name), description: asString(description) }
  addAgentFacts(agent, omitUndefined(facts), context)
  if (context.hasEnded(toolUseId) && status === (before === 'error' ? 'success' : 'error'))
    completeAgent(toolUseId, { status: status === 'error' ? 'error' : 'completed' }, context)
  if (Array.isArray(todos))
    context.emit({ type: 'todos:updated', conversationId: toolUseId, todos: readTodos(todos) })
}

/** Reads a plan. Applications name the words of an entry in their own ways. */
function readTodos(todos: readonly unknown[]): readonly Todo[] {
  return todos.flatMap((entry) => {
    const { id, text, content, title, description, status, done, completed } = asObject(entry)
    const words = [entry, text, content, title, description].map(asString).find((each) => each !== undefined)
    if (words === undefined) return []
    const isDone = done === true || completed === true
    const known = isTodoStatus(status) ? status : isDone ? 'completed' : 'pending'
    return [omitUndefined({ id: asString(id), text: words, status: known } as const)]
  })
}
