import type { Event, Message } from '@ag-ui/core'
import type { AgUiEvent, AgUiMessage } from '../../../src/entries/ag-ui.ts'

// The package's own types are assignable to those of AG-UI. The core names the types of events by an enum, which accepts no literal.

type Assignable<From extends To, To> = [From, To]

type Named<Each> = Each extends { readonly type: infer Type extends string }
  ? { readonly type: `${Type}` } & Omit<Each, 'type'>
  : never

export type Messages = Assignable<AgUiMessage[], Message[]>
export type Events = Assignable<Named<AgUiEvent>, Named<Event>>

// @ts-expect-error: the core has no such event.
export type UnknownEvent = Assignable<{ readonly type: 'THINKING' }, Named<Event>>
