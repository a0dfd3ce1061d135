import { describe, expect, it } from '@jest/globals';
import { attachment } from './content-disposition';

describe('an attachment', () => {
  it.each([
    ['build.log', `attachment; filename="build.log"; filename*=UTF-8''build.log`],
    ['Prüfung 1.log', `attachment; filename="Pr_fung 1.log"; filename*=UTF-8''Pr%C3%BCfung%201.log`],
    ["it's (1)*.log", `attachment; filename="it's (1)*.log"; filename*=UTF-8''it%27s%20%281%29%2A.log`],
    ['a"b\\c%d', `attachment; filename="a_b_c_d"; filename*=UTF-8''a%22b%5Cc%25d`],
    ['x\r\nSet-Cookie: y', `attachment; filename="x__Set-Cookie: y"; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20y`],
    ['🔨.zip', `attachment; filename="_.zip"; filename*=UTF-8''%F0%9F%94%A8.zip`],
    ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ])('named %j', (filename, header) => {
    expect(attachment(filename)).toBe(header);
  });
});
