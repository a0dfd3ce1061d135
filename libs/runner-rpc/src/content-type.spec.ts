import { describe, expect, it } from '@jest/globals';
import { parseContentType } from './content-type';

describe('a content type', () => {
  it.each([
    ['application/proto', 'proto'],
    ['Application/Proto', 'proto'],
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/json;charset="UTF-8"', 'json'],
  ])('%s names the codec %s', (value, codec) => {
    expect(parseContentType(value)).toBe(codec);
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'application/grpc',
    'application/grpc-web+proto',
    'application/connect+proto',
    'application/connect+json',
    'application/x-protobuf',
    'application/protobuf',
    'application/json; charset=latin1',
    'text/application/json',
  ])('%j is foreign', (value) => {
    expect(parseContentType(value)).toBeUndefined();
  });
});
