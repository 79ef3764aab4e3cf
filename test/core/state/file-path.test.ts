import { describe, expect, it } from 'vitest'
import { absolutePath, relativePath } from '../../../src/core/state/file-change.ts'

const CASES = [
  { folder: '/srv/demo', name: 'src/a.ts', path: '/srv/demo/src/a.ts' },
  { folder: '/srv/demo/', name: 'src/a.ts', path: '/srv/demo/src/a.ts' },
  { folder: '/', name: 'a.ts', path: '/a.ts' },
  { folder: 'C:\\demo', name: 'src\\a.ts', path: 'C:\\demo\\src\\a.ts' },
  { folder: 'C:\\demo\\', name: 'a.ts', path: 'C:\\demo\\a.ts' },
  { folder: 'C:/demo', name: 'src/a.ts', path: 'C:/demo/src/a.ts' },
]

describe('paths of files', () => {
  it.each(CASES)('$name in $folder is $path, both ways', ({ folder, name, path }) => {
    expect(absolutePath(name, folder)).toBe(path)
    expect(relativePath(path, folder)).toBe(name)
  })

  it('writes a path of a folder on Windows with its separator', () => {
    expect(absolutePath('./src/a.ts', 'C:\\demo')).toBe('C:\\demo\\src\\a.ts')
  })

  it.each(['/etc/hosts', 'C:\\hosts', 'C:/hosts', '\\\\server\\hosts'])('leaves %s as it is', (path) => {
    expect(absolutePath(path, '/srv/demo')).toBe(path)
    expect(relativePath(path, '/srv/demo')).toBe(path)
  })

  it.each([undefined, ''])('leaves a relative path as it is without a folder (%s)', (folder) => {
    expect(absolutePath('a.ts', folder)).toBe('a.ts')
    expect(relativePath('/srv/a.ts', folder)).toBe('/srv/a.ts')
  })

  it.each(['/srv/demo', '/srv/demo/'])('leaves the folder itself as it is (%s)', (path) => {
    expect(relativePath(path, '/srv/demo')).toBe(path)
  })

  it('a folder whose name only begins the same is another one', () => {
    expect(relativePath('/srv/demonstration/a.ts', '/srv/demo')).toBe('/srv/demonstration/a.ts')
  })
})
