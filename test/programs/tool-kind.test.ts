import { describe, expect, it } from 'vitest'
import { mcpTool, toolKind } from '../../src/programs/tool-kind.ts'

describe('toolKind', () => {
  it.each([
    ['Bash', 'command'],
    ['exec_command', 'command'],
    ['command_execution', 'command'],
    ['file_change', 'edit'],
    ['image_view', 'read'],
    ['Read', 'read'],
    ['MultiEdit', 'edit'],
    ['apply_patch', 'edit'],
    ['grep', 'search'],
    ['webfetch', 'web'],
    ['WebSearch', 'web'],
    ['mcp__github__create_issue', 'mcp'],
    ['SendMessage', 'agent'],
    ['TodoWrite', 'plan'],
    ['TaskUpdate', 'plan'],
    ['Skill', 'other'],
    ['constructor', 'other'],
    ['', 'other'],
  ])('of %j is %s', (name, kind) => {
    expect(toolKind(name)).toBe(kind)
  })
})

describe('mcpTool', () => {
  it('separates the server from the tool', () => {
    expect(mcpTool('mcp__my_server__read__all')).toEqual({ server: 'my_server', tool: 'read__all' })
    expect(mcpTool('mcp__x')).toBeUndefined()
    expect(mcpTool('Bash')).toBeUndefined()
  })
})
