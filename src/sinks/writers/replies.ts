import type { CallItem, StepEntry, StepItem } from '../plan/plan.ts'

type TextItem = Exclude<StepItem, CallItem>

/** A message of the model, as most programs store it: at most one thought and one text, and then calls. */
export interface Reply {
  readonly id: string
  readonly time: string
  readonly thought?: TextItem
  readonly text?: TextItem
  readonly calls: readonly CallItem[]
}

/** Divides a response of the model into such messages. */
export function repliesOf({ items }: StepEntry): readonly Reply[] {
  const replies: Draft[] = []
  for (const item of items) {
    const last = replies.at(-1)
    const draft = last && hasPlace(last, item) ? last : { id: item.id, time: item.time, calls: [] }
    if (draft !== last) replies.push(draft)
    if (item.kind === 'call') draft.calls.push(item)
    else draft[item.kind === 'text' ? 'text' : 'thought'] = item
  }
  return replies
}

interface Draft {
  readonly id: string
  readonly time: string
  thought?: TextItem
  text?: TextItem
  readonly calls: CallItem[]
}

function hasPlace({ calls, text, thought }: Draft, { kind }: StepItem): boolean {
  if (kind === 'call') return true
  return calls.length === 0 && !text && (kind === 'text' || !thought)
}
