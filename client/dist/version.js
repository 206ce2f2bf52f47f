const n=t=>t.etag,s=(t,e)=>({...t,etag:e});export{n as etag,s as withVersion};
