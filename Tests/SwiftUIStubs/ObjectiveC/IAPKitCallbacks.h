// What Swift shows of IAPKitCallbacks to Objective-C, by the rules for names; written by hand, since
// only Apple's systems have the generated header; see the README.
#pragma once
#include "UIKit/UIKit.h"
#pragma clang assume_nonnull begin

@class IAPRequest;

@interface ProductItem : NSObject
@property(readonly) NSString *productIdentifier;
@property(readonly) NSString *localizedTitle;
@property(readonly) NSString *localizedPrice;
@end

@interface TransactionItem : NSObject
@property(readonly) NSString *productIdentifier;
@end

@protocol IAPRequestDelegate
- (void)request:(IAPRequest *)request
        didLoad:(NSArray<ProductItem *> *)products
        missing:(NSArray<NSString *> *)missing;
- (void)request:(IAPRequest *)request
    didFinishWith:(NSArray<TransactionItem *> *)transactions;
- (void)requestIsPending:(IAPRequest *)request;
- (void)requestWasCancelled:(IAPRequest *)request;
- (void)request:(IAPRequest *)request didFailWith:(NSError *)error;
@end

@interface IAPRequest : NSObject
@end

@interface IAPRequests : NSObject
- (IAPRequest *)loadProducts:(NSArray<NSString *> *)ids delegate:(id<IAPRequestDelegate>)delegate;
- (IAPRequest *)purchase:(NSString *)productId delegate:(id<IAPRequestDelegate>)delegate;
@end

@interface SharedClient : NSObject
@property(class, readonly) IAPRequests *requests;
@end

#pragma clang assume_nonnull end
