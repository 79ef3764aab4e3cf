import { asArray, asObject, asString, type JsonObject } from '../../../../json/values.ts'
import { MAIN } from '../../../../state/session.ts'
import { isTodoStatus, type Todo } from '../../../../state/todo.ts'
import { showAgent } from '../agents/agent-call.ts'
import { completeAgent } from '../agents/run.ts'
import type { AgUiContext } from '../context.ts'
import { applyPatch } from './json-patch.ts'

/** Replaces the shared state. */
export function replaceState(state: unknown, context: AgUiContext): void {
  const before = context.memory.shared
  context.remember({ shared: { state } })
  const { todos, agents } = asObject(state)
  reportTodos(asObject(before.state).todos, todos, context)
  for (const agent of asArray(agents)) readAgent(asObject(agent), context)
}

/** Patches the shared state. A patch that does not fit changes nothing. */
export function patchState(delta: unknown, context: AgUiContext): void {
  const { shared } = context.memory
  const patched = applyPatch(shared.state, delta)
  if (!patched) return context.reportUnknown('unknown-block', 'STATE_DELTA')
  context.remember({ shared: { state: patched.document } })
  reportTodos(asObject(shared.state).todos, asObject(patched.document).todos, context)
  // The whole list of agents would make each delta cost the number of agents.
  for (const operation of asArray(delta)) {
    const { path, value } = asObject(operation)
    if (!asString(path)?.startsWith('/agents')) continue
    for (const agent of Array.isArray(value) ? value : [value]) readAgent(asObject(agent), context)
  }
}

function reportTodos(before: unknown, after: unknown, context: AgUiContext): void {
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
  const { agentIds } = context.memory
  if (own !== undefined) context.remember({ agentIds: agentIds.with(toolUseId, own) })
  const known = context.agent(toolUseId)
  if (!known) return
  const agent = context.updateAgent(toolUseId, { agentId: known.agentId ?? own })
  showAgent(agent, { agentId: own, name: asString(name), description: asString(description) }, context)
  if (agent.status === 'ended' && status === (agent.isFailed ? 'success' : 'error'))
    completeAgent(agent, { status: status === 'error' ? 'error' : 'completed' }, context)
  if (Array.isArray(todos))
    context.emit({ type: 'todos:updated', conversationId: toolUseId, todos: readTodos(todos) })
}

/** Reads a plan. Applications name the words of an entry in their own ways. */
function readTodos(todos: readonly unknown[]): readonly Todo[] {
  return todos.flatMap((entry) => {
    const { text, content, title, description, status, done, completed } = asObject(entry)
    const words = [entry, text, content, title, description].map(asString).find((each) => each !== undefined)
    if (words === undefined) return []
    const isDone = done === true || completed === true
    return [{ text: words, status: isTodoStatus(status) ? status : isDone ? 'completed' : 'pending' }]
  })
}
