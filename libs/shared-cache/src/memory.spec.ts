import { MemorySharedCache } from './memory';
import { describeSharedCache } from './shared-cache.contract';

describeSharedCache('the shared cache of one process', async (onError) => {
  const cache = new MemorySharedCache(onError);
  return { here: cache, there: cache };
});
