import { uiMessageResponse } from 'agentfold/ai-sdk'
import { createSessionHub } from 'agentfold/hub'
import { nodeHandler } from 'agentfold/node'

export const hub = createSessionHub() // hub.onPrompt('session', …), hub.onReply('session', …), hub.pipe('session', child.stdout)

/** Answers every address. A server of several parts gives it those that begin with `/api/chat`. */
export const handle = nodeHandler({
  fetch: (request) => uiMessageResponse(hub, 'session', { request, version: 6 }),
})
