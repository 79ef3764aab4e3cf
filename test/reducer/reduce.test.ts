import { expect, it } from 'vitest'
import { createInitialConversationState, reduceSessionEvents, type SessionEvent } from '../../src/index.ts'

it('folds a spawn, its blocks and its completion', () => {
  const log: SessionEvent[] = [
    { type: 'block:upsert', conversationId: 'X', block: { id: 'a', type: 'assistant_text', status: 'pending', content: '' } },
    { type: 'block:delta', conversationId: 'X', blockId: 'a', delta: 'hi' },
    { type: 'subagent:spawned', toolUseId: 'T', agentId: 'X', prompt: 'do' },
    { type: 'subagent:completed', toolUseId: 'T', status: 'completed', output: 'done' },
  ]
  expect(reduceSessionEvents(createInitialConversationState(), log)).toMatchInlineSnapshot(`
    {
      "blocks": [
        {
          "agentId": "X",
          "conversationId": "main",
          "id": "subagent:T",
          "input": "do",
          "output": "done",
          "status": "success",
          "toolUseId": "T",
          "type": "subagent",
        },
      ],
      "session": {},
      "subagents": [
        {
          "agentId": "X",
          "blocks": [
            {
              "content": "hi",
              "conversationId": "T",
              "id": "a",
              "status": "complete",
              "type": "assistant_text",
            },
          ],
          "output": "done",
          "parentConversationId": "main",
          "prompt": "do",
          "status": "success",
          "toolUseId": "T",
          "usage": [],
        },
      ],
      "usage": [],
    }
  `)
})
