// A stand-in for the few names of Foundation and UIKit that the demo app's Objective-C screen uses;
// see the README.
#pragma once
#pragma clang assume_nonnull begin

#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")

#define nil ((id)0)

typedef signed char BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
typedef unsigned long NSUInteger;
typedef long NSInteger;
typedef double CGFloat;
typedef struct CGRect {
  CGFloat x, y, width, height;
} CGRect;
extern const CGRect CGRectZero;

@protocol NSObject
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
+ (instancetype)alloc;
- (instancetype)init;
@end

@interface NSString : NSObject
@end

@interface NSError : NSObject
@property(readonly) NSString *localizedDescription;
@end

@interface NSArray<ObjectType> : NSObject
+ (instancetype)arrayWithObjects:(const ObjectType _Nonnull[_Nullable])objects
                           count:(NSUInteger)count;
@property(readonly, nullable) ObjectType firstObject;
@end

@interface UIColor : NSObject
@property(class, readonly) UIColor *whiteColor;
@end

@interface NSLayoutConstraint : NSObject
+ (void)activateConstraints:(NSArray<NSLayoutConstraint *> *)constraints;
@end

@interface NSLayoutAnchor : NSObject
- (NSLayoutConstraint *)constraintEqualToAnchor:(NSLayoutAnchor *)anchor;
@end

@interface UIView : NSObject
- (instancetype)initWithFrame:(CGRect)frame;
- (void)addSubview:(UIView *)view;
@property(nonatomic, nullable) UIColor *backgroundColor;
@property(nonatomic) BOOL translatesAutoresizingMaskIntoConstraints;
@property(nonatomic, readonly) NSLayoutAnchor *centerXAnchor;
@property(nonatomic, readonly) NSLayoutAnchor *centerYAnchor;
@end

@interface UILabel : UIView
@property(nonatomic, nullable) NSString *text;
@property(nonatomic) NSInteger numberOfLines;
@end

typedef enum { UIButtonTypeSystem = 1 } UIButtonType;
typedef enum { UIControlEventTouchUpInside = 1 << 6 } UIControlEvents;
typedef enum { UIControlStateNormal = 0 } UIControlState;
typedef enum { UILayoutConstraintAxisVertical = 1 } UILayoutConstraintAxis;

@interface UIButton : UIView
+ (instancetype)buttonWithType:(UIButtonType)type;
- (void)setTitle:(nullable NSString *)title forState:(UIControlState)state;
- (void)addTarget:(nullable id)target
              action:(SEL)action
    forControlEvents:(UIControlEvents)events;
@property(nonatomic) BOOL enabled;
@end

@interface UIStackView : UIView
- (instancetype)initWithArrangedSubviews:(NSArray<UIView *> *)views;
@property(nonatomic) UILayoutConstraintAxis axis;
@end

@interface UIViewController : NSObject
- (void)viewDidLoad;
@property(nonatomic) UIView *view;
@end

#pragma clang assume_nonnull end
