import { createInitialConversationState, createSessionStore, reduceSessionEvents } from 'agentfold'
import { createRoot } from 'react-dom/client'
import { SessionView } from '../../src/page/session/session-view.tsx'
import { events, request } from './decisions-events.ts'

declare global {
  interface Window {
    /** The answers that the host of the page got. */
    __answers?: unknown[]
  }
}

/** A host that answers: it has the page's view with buttons. */
const options = [
  { id: 'Tea', label: 'Tea' },
  { id: 'Milk', label: 'Milk' },
]
const questions = [
  request('open', { kind: 'question', title: 'What?', questions: [{ text: 'What?', options }] }),
  request('several', {
    ...{ kind: 'question', title: 'Which ones?' },
    questions: [{ text: 'Which ones?', options, multiple: true }],
  }),
]
const state = reduceSessionEvents(createInitialConversationState(), [...events, ...questions])
const store = createSessionStore({ state })
window.__answers = []
const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <SessionView store={store} onAnswer={(id, answer) => void window.__answers?.push([id, answer])} />,
)
