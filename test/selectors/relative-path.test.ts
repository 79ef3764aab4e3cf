import { expect, it } from 'vitest'
import { relativePath } from '../../src/selectors/relative-path.ts'

it.each([
  ['/srv/demo/src/a.ts', '/srv/demo', 'src/a.ts'],
  ['C:\\demo\\a.ts', 'C:\\demo', 'a.ts'],
  ['/srv/demo', '/srv/demo', '/srv/demo'],
  ['/srv/demo/', '/srv/demo', '/srv/demo/'],
  ['/srv/demo2/a.ts', '/srv/demo', '/srv/demo2/a.ts'],
  ['a.ts', '/srv/demo', 'a.ts'],
  ['/a.ts', '', '/a.ts'],
  ['/a.ts', undefined, '/a.ts'],
])('shows %s in the folder %s as %s', (path, folder, shown) => {
  expect(relativePath(path, folder)).toBe(shown)
})
