export { apiRoute, type ApiRequest, type ApiRoute } from './api-route';
export { PAGE_QUERY, page, type Page } from './page';
export { ApiStream } from './api-stream';
export { mountApi, API_PREFIX, type Authorize } from './mount-api';
export { openApiDocument } from './open-api';
